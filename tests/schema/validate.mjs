// SPDX-License-Identifier: MIT
//
// Hold JSON documents against a schema, with ajv in its strict mode. As validate.py:
//
//     node validate.mjs SCHEMA[#NAME] FILE...
//     node validate.mjs SCHEMA
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

// All schemas of the folder, each by its file's name, as they refer to each other.
function loadSchemas(folder) {
	const ajv = new Ajv({strict: true, allErrors: true, validateFormats: true});

	for (const name of readdirSync(folder).filter((name) => name.endsWith(".schema.json")))
		ajv.addSchema(load(join(folder, name)), name);
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

if (process.argv.length < 3)
	fail("no schema given");
const [path, name] = process.argv[2].split("#");
const reference = basename(path) + (name ? `#/$defs/${name.replaceAll("~", "~0").replaceAll("/", "~1")}` : "");
let validate, nFaults = 0;

try {
	validate = loadSchemas(dirname(path)).getSchema(reference);
} catch (error) {
	console.log(`${path}: ${error.message}`);
	exit(1);
}
if (!validate)
	fail(`${path}: no ${name} in its $defs`);
for (const file of process.argv.slice(3))
	for (const fault of faults(validate, file)) {
		console.log(`${file}: ${fault}`);
		nFaults++;
	}
exit(nFaults ? 1 : 0);
