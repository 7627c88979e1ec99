import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'

// Loaded first where Tillbridge was installed as a package, also by its threads: Node takes types away from its own accord only
// outside of node_modules. Slower than Node's own way, which keeps the result.
const OURS = /\/node_modules\/(?:@[^/]+\/)?tillbridge(?:-adapter-[^/]+)?\/(?!node_modules\/).*\.ts$/

registerHooks({
  load(url, context, next) {
    if (!OURS.test(url)) return next(url, context)
    const source = stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'))
    return { format: 'module', shortCircuit: true, source }
  },
})
