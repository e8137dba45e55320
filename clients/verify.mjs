// node verify.mjs FILE: verifies deliveries with the libraries that receivers use. Reads
// [{secret, headers, body}] from the file, and writes which each library accepts.
import { readFileSync } from "node:fs";
import { Webhook as StandardWebhooks } from "standardwebhooks";
import { Webhook as Svix } from "svix";

const accepts = (Webhook) => ({ secret, headers, body }) => {
  try {
    new Webhook(secret).verify(Buffer.from(body, "base64").toString("utf8"), headers);
    return true;
  } catch {
    return false;
  }
};
const deliveries = JSON.parse(readFileSync(process.argv[2], "utf8"));
const libraries = { "Standard Webhooks": StandardWebhooks, Svix };
console.log(JSON.stringify(Object.fromEntries(Object.entries(libraries).map(([name, library]) => [name, deliveries.map(accepts(library))]))));
