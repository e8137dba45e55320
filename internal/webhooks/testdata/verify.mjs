// Verifies deliveries with the npm package of Standard Webhooks, which is in the
// node_modules of the folder given. Reads [{secret, headers, body}] and writes
// whether each is accepted.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const { Webhook } = createRequire(process.argv[2] + "/")("standardwebhooks");
const accepted = ({ secret, headers, body }) => {
  try {
    new Webhook(secret).verify(Buffer.from(body, "base64").toString("utf8"), headers);
    return true;
  } catch {
    return false;
  }
};
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(accepted)));
