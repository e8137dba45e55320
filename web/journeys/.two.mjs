import { launch } from "./browser.mjs";
import { roles } from "./pages.mjs";
const browser = await launch("/usr/bin/chromium");
const all = Object.fromEntries(roles(true));
const begun = process.hrtime.bigint();
for (const name of ["every page as analyst", "every page as agent"]) { const at = Date.now(); try { await all[name](browser, process.argv[2]); } catch (e) { console.log(String(e).slice(0, 200)); } console.log(name, Date.now() - at); }
await browser.close();
