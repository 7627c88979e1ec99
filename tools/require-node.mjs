// Says plainly that the Node is too old, before an old one crashes on TypeScript or a native module.
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

if (Number(process.versions.node.split('.')[0]) < 24) {
  const bring = relative(process.cwd(), fileURLToPath(new URL('ensure-node.mjs', import.meta.url)))
  console.error(
    `Tillbridge needs Node 24 or newer, and this is ${process.version}: run "node ${bring}" once, which brings Node 24 along and leaves yours as it is, or install Node 24.`,
  )
  process.exit(2)
}
