// Runs the server audits of the npm package graphql-http and prints their
// results as one JSON array.
//
//   node audit.mjs <directory that holds node_modules> <endpoint>
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [directory, url] = process.argv.slice(2);
const library = path.join(directory, 'node_modules', 'graphql-http', 'lib', 'index.mjs');
const { auditServer } = await import(pathToFileURL(library));
const results = await auditServer({ url, fetchFn: fetch });
const plain = results.map(({ id, name, status, reason }) => ({ id, name, status, reason }));
process.stdout.write(JSON.stringify(plain));
