import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { kill } from 'node:process'
import { afterAll, beforeAll, describe } from 'vitest'
import { eventually } from '../../../test/eventually.ts'

export interface SftpServer extends AsyncDisposable {
  privateKey: string
  /** Options of a folder there. */
  access(folder: string): {
    host: string
    port: number
    user: string
    privateKey: string
    hostKey: string
    folder: string
  }
  /** `SHA256:…` */
  hostKey: string
  start(): Promise<void>
  stop(): Promise<void>
  /** Lets no connection be answered any more, or again. */
  freeze(frozen: boolean): void
  connections(): number
}

const SSHD = '/usr/sbin/sshd'
const KEYGEN = '/usr/bin/ssh-keygen'

/** Why tests that need one are left out on this machine; null: they are not. */
export const noSshd: string | null = whyNot()

/** Tests that share one server. */
export function describeSftp(title: string, tests: (server: () => SftpServer) => void): void {
  describe.skipIf(noSshd)(noSshd ? `${title} (${noSshd})` : title, () => {
    let server: SftpServer
    beforeAll(async () => {
      server = await startSftpServer()
    })
    afterAll(() => server[Symbol.asyncDispose]())
    tests(() => server)
  })
}

/** A private key, which stands in this file afterwards. */
export function makeKey(file: string, passphrase = ''): string {
  execFileSync(KEYGEN, ['-q', '-t', 'ed25519', '-N', passphrase, '-f', file])
  return readFileSync(file, 'utf8')
}

/**
 * It serves the whole file system to the user that runs the tests, who logs in with a key. `without`: extensions of the
 * protocol that it does not offer.
 */
export async function startSftpServer({ without = [] }: { without?: string[] } = {}): Promise<SftpServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tillbridge-sshd-'))
  const keys = ['host', 'user'].map((name) => {
    const secret = makeKey(join(folder, name))
    return { secret, open: readFileSync(join(folder, `${name}.pub`), 'utf8') }
  })
  writeFileSync(join(folder, 'authorized'), keys[1]?.open ?? '')
  chmodSync(join(folder, 'authorized'), 0o600)
  const [, hostKey = ''] = execFileSync(KEYGEN, ['-l', '-f', join(folder, 'host')])
    .toString()
    .split(' ')
  const port = await freePort()
  writeFileSync(join(folder, 'config'), configOf(folder, port, without))
  let server: ChildProcess | null = null

  async function start(): Promise<void> {
    const started = spawn(SSHD, ['-D', '-e', '-f', join(folder, 'config')], { stdio: ['ignore', 'ignore', 'pipe'] })
    server = started
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    started.stderr.on('data', (said: Buffer) => {
      if (said.includes('Server listening')) resolve()
    })
    started.once('exit', (code) => reject(new Error(`sshd ended with ${code}`)))
    await promise
  }

  async function stop(): Promise<void> {
    const running = server
    if (running?.pid === undefined) return
    const { pid } = running
    for (const one of [pid, ...sessions()]) send(one, 'SIGCONT')
    // From the innermost outwards: each is waited for by the one that began it.
    await eventually(() => {
      const left = sessions()
      for (const one of left.filter((session) => childrenOf(session).length === 0)) send(one, 'SIGKILL')
      return left.length === 0
    })
    const exited = once(running, 'exit')
    send(pid, 'SIGTERM')
    await exited
    server = null
  }

  const sessions = () => childrenOf(server?.pid ?? 0)

  await start()
  const privateKey = keys[1]?.secret ?? ''
  const login = { host: '127.0.0.1', port, user: userInfo().username, privateKey, hostKey }
  return {
    privateKey,
    hostKey,
    access: (folder) => ({ ...login, folder }),
    start,
    stop,
    freeze(frozen) {
      for (const pid of [...sessions(), server?.pid ?? 0].filter(Boolean)) send(pid, frozen ? 'SIGSTOP' : 'SIGCONT')
    },
    connections: () => childrenOf(server?.pid ?? 0, false).length,
    async [Symbol.asyncDispose]() {
      await stop()
      await rm(folder, { recursive: true })
    },
  }
}

function configOf(folder: string, port: number, without: string[]): string {
  return [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${join(folder, 'host')}`,
    `PidFile ${join(folder, 'pid')}`,
    `AuthorizedKeysFile ${join(folder, 'authorized')}`,
    'StrictModes no',
    'UsePAM no',
    'PermitRootLogin yes',
    'PasswordAuthentication yes',
    'MaxStartups 100',
    `Subsystem sftp internal-sftp${without.length > 0 ? ` -P ${without.join()}` : ''}`,
    '',
  ].join('\n')
}

/** The processes that it has for its connections; `all`: and theirs. */
function childrenOf(parent: number, all = true): number[] {
  const path = `/proc/${parent}/task/${parent}/children`
  const children = textOf(path).split(' ').filter(Boolean).map(Number)
  return children.flatMap((child) => [...(all ? childrenOf(child) : []), child])
}

/** Empty for a process that has ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

function whyNot(): string | null {
  if (!existsSync(SSHD)) return 'there is no /usr/sbin/sshd (package openssh-server)'
  if (userInfo().uid !== 0) return 'sshd logs its own user in only, and needs /run/sshd: run as root'
  // Where it separates its privileges.
  mkdirSync('/run/sshd', { recursive: true })
  return null
}
