// Says plainly that the Node is too old, before an old one crashes on TypeScript or a native module.
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isTooOld, needed } from './needed-node.mjs'

if (isTooOld) {
  const bring = relative(process.cwd(), fileURLToPath(new URL('ensure-node.mjs', import.meta.url)))
  console.error(
    `Tillbridge needs Node ${needed} or newer, and this is ${process.version}: run "node ${bring}" once, which brings Node 24 along and leaves yours as it is, or install a newer one.`,
  )
  process.exit(2)
}
