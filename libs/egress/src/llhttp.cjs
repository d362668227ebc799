// The parser of HTTP/1.1 that Node itself uses, as undici carries it. A module of the old kind, because its bytes are the
// whole module there, and the bundles of services would give each byte a property.
exports.llhttp = require("undici/lib/llhttp/llhttp-wasm.js");
