// SPDX-License-Identifier: MIT
//
// Hold JSON documents against a schema, with ajv in its strict mode. As validate.py:
//
//     node validate.mjs SCHEMA[#NAME] FILE...
//     node validate.mjs SCHEMA
//     node validate.mjs SCHEMA... -- SCHEMA...
//
// SOAK_NODE_MODULES is the folder that has ajv.

import {readFileSync, readdirSync} from "node:fs";
import {createRequire} from "node:module";
import {basename, dirname, join, resolve} from "node:path";
import {exit} from "node:process";

const modules = resolve(process.env.SOAK_NODE_MODULES ?? "node_modules");
const Ajv = createRequire(join(modules, "x"))("ajv/dist/2020").default;

const load = (path) => JSON.parse(readFileSync(path, "utf8"));

function fail(text) {
	console.error(`validate.mjs: ${text}`);
	exit(2);
}

const loaded = new Map();

// All schemas of the folder, each by its file's name, as they refer to each other.
function loadSchemas(folder) {
	if (loaded.has(folder))
		return loaded.get(folder);
	const ajv = new Ajv({strict: true, allErrors: true});

	for (const name of readdirSync(folder).filter((name) => name.endsWith(".schema.json")))
		ajv.addSchema(load(join(folder, name)), name);
	loaded.set(folder, ajv);
	return ajv;
}

function faults(validate, file) {
	try {
		if (validate(load(file)))
			return [];
	} catch (error) {
		return [error.message];
	}
	// That an "if" led to a fault is no fault of its own.
	return validate.errors.filter((e) => e.keyword !== "if")
		.map((e) => `${e.instancePath || "/"}: ${e.message} (${e.schemaPath})`);
}

const toFragment = (name) => `#/$defs/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

// The whole schema, or one of its $defs. Without FILEs all of them have to make sense.
function pick(path, name, files) {
	const ajv = loadSchemas(dirname(path)), file = basename(path);

	if (!ajv.schemas[file])
		fail(`${path}: is no *.schema.json`);
	const names = files.length ? [] : Object.keys(ajv.schemas[file].schema.$defs ?? {});

	names.forEach((each) => ajv.getSchema(file + toFragment(each)));
	return ajv.getSchema(file + (name ? toFragment(name) : ""));
}

// Print the faults. Return how many there are.
function check(target, files) {
	const [path, name] = target.split("#");
	let validate, nFaults = 0;

	try {
		validate = pick(path, name, files);
	} catch (error) {
		if (error.syscall || error instanceof SyntaxError)
			fail(error.message);
		console.log(`${path}: ${error.message}`);
		return 1;
	}
	if (!validate)
		fail(`${path}: no ${name} in its $defs`);
	for (const file of files)
		for (const fault of faults(validate, file)) {
			console.log(`${file}: ${fault}`);
			nFaults++;
		}
	return nFaults;
}

function split(args) {
	const groups = [[]];

	for (const arg of args)
		if (arg === "--")
			groups.push([]);
		else
			groups.at(-1).push(arg);
	return groups;
}

const groups = split(process.argv.slice(2));
let nFaults = 0;

if (!groups.every((group) => group.length))
	fail("no schema given");
for (const [target, ...files] of groups)
	nFaults += check(target, files);
exit(nFaults ? 1 : 0);
