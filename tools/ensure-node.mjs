// Runs after `npm install`, on whatever Node runs npm (18 or newer). Where that one is older than the Node this project
// needs, it installs the pinned Node from the npm registry into tools/node24 and links it as node_modules/.bin/node:
// npm scripts and npx look there first.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isTooOld, needed } from './needed-node.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const home = join(root, 'tools', 'node24')
const binDir = join(root, 'node_modules', '.bin')

if (isTooOld) install()

function install() {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const pinned = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).optionalDependencies
  if (!pinned[name]) fail(`no ready-made Node for ${process.platform} ${process.arch}`)

  const binary = join(home, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (!runs(binary, pinned[name])) {
    console.log(
      `Tillbridge runs on Node ${needed} or newer; this is ${process.version}. Installing Node ${pinned[name]} beside it.`,
    )
    npmCi()
    if (!runs(binary, pinned[name])) fail(`the installed Node ${pinned[name]} does not start`)
  }
  link(binary)
}

function npmCi() {
  const env = { ...process.env }
  for (const key of Object.keys(env)) {
    if (/^npm_(package|lifecycle)_/.test(key) || key === 'npm_config_prefix' || key === 'npm_config_local_prefix')
      delete env[key]
  }
  const npm = process.env.npm_execpath
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  if (npm) execFileSync(process.execPath, [npm, ...args], { cwd: home, env, stdio: 'inherit' })
  else execFileSync('npm', args, { cwd: home, env, stdio: 'inherit', shell: process.platform === 'win32' })
}

function runs(binary, version) {
  if (!existsSync(binary)) return false
  try {
    return execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim() === `v${version}`
  } catch {
    return false
  }
}

function link(binary) {
  mkdirSync(binDir, { recursive: true })
  if (process.platform === 'win32') {
    writeFileSync(join(binDir, 'node.cmd'), `@"${binary}" %*\r\n`)
    return
  }
  const target = join(binDir, 'node')
  rmSync(target, { force: true })
  symlinkSync(binary, target)
}

function fail(why) {
  console.error(
    `Tillbridge needs Node ${needed} or newer, and this is ${process.version}: ${why}. Install it from https://nodejs.org and run npm again.`,
  )
  process.exit(1)
}
