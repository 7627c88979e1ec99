// Says plainly that the Node is too old, before an old one crashes on TypeScript or a native module.
if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `Tillbridge needs Node 24 or newer, and this is ${process.version}. Run "npm ci" (it brings Node 24 along), or install Node 24.`,
  )
  process.exit(1)
}
