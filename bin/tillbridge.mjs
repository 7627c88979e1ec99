#!/usr/bin/env node
// What `tillbridge` starts. Plain JavaScript that any Node reads: an older one hands over to the Node that the project brought
// along (tools/ensure-node.mjs), or says in one sentence what to do.
import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isTooOld } from '../tools/needed-node.mjs'

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const args = process.argv.slice(2)
/** Secrets, of whoever keeps them in a file of the folder one stands in. */
const env = isEnvThere() ? ['--env-file=.env'] : []
/** A checkout runs its source; what is shipped has none (tools/build.mjs). */
const [hub, commands] = existsSync(here('src/main.ts'))
  ? ['src/main.ts', '../src/cli/program.ts']
  : ['lib/main.js', '../lib/tillbridge.js']

if (isTooOld) {
  const brought = here(broughtNode())
  if (existsSync(brought)) become(brought, [here('bin/tillbridge.mjs'), ...args])
  else await import('../tools/require-node.mjs')
} else if (args.length === 1 && args[0] === 'start') {
  become(process.execPath, [...env, ...startFlags(), here(hub)])
} else {
  await import('../tools/compile-cache.mjs')
  if (env.length > 0) process.loadEnvFile('.env')
  const { main } = await import(commands)
  await main()
}

/** Whether there is one that can be read: it may be another user's, and all that is needed may stand in the environment. */
function isEnvThere() {
  if (!existsSync('.env')) return false
  try {
    accessSync('.env', constants.R_OK)
    if (!statSync('.env').isDirectory()) return true
    console.error('.env of this folder is left out: it is a folder.')
  } catch {
    console.error('.env of this folder is left out: this user may not read it.')
  }
  return false
}

/** Where tools/ensure-node.mjs puts the binary for this machine. */
function broughtNode() {
  const [system, file] = process.platform === 'win32' ? ['win', 'node.exe'] : [process.platform, 'node']
  return `tools/node24/node_modules/node-${system}-${process.arch}/bin/${file}`
}

/** What Node is told when it runs the hub; the files among it begin in this folder, wherever one stands. */
function startFlags() {
  const flags = JSON.parse(readFileSync(here('tools/start-flags.json'), 'utf8'))
  return flags.map((flag) => (flag.startsWith('./') ? new URL(`../${flag}`, import.meta.url).href : flag))
}

/** This process becomes that one, where the system can do so; else it stands before it until it ends. */
function become(program, programArgs) {
  if (process.execve && process.platform !== 'win32') process.execve(program, [program, ...programArgs], process.env)
  const child = spawn(program, programArgs, { stdio: 'inherit' })
  // Ctrl-C reaches both of them by the terminal.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 143)
  })
}
