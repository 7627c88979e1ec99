import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../../../sandbox/demo/free-port.ts'
import { eventually } from '../../eventually.ts'
import { NO_SERVER, SERVER } from './schema.ts'

const PROGRAM = '/usr/sbin/pgbouncer'

/** Why no pooler can be run here; null: one can. */
export const NO_POOLER =
  SERVER === undefined ? NO_SERVER : existsSync(PROGRAM) ? null : 'PgBouncer is not installed here'

/** The connections that it has to the server: fewer than who uses it has to it, so that sessions are really shared. */
const SESSIONS = 3

export interface OwnPooler extends AsyncDisposable {
  through(url: string): string
  /** Ends it as a power cut would, and starts it again at the same address. */
  restart(): Promise<void>
}

/** PgBouncer in transaction mode before the server of the tests; it takes so many connections of hubs. */
export async function startOwnPooler(clients = 200): Promise<OwnPooler> {
  const server = new URL(SERVER ?? '')
  const folder = await mkdtemp(join(tmpdir(), 'tillbridge-pooler-'))
  await chmod(folder, 0o755)
  const port = await freePort()
  const user = server.username || 'postgres'
  const database = server.pathname.slice(1)
  const users = join(folder, 'users.txt')
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(users, `"${user}" "${server.password}"\n`)
  await writeFile(
    file,
    `[databases]
${database} = host=${server.hostname} port=${server.port || 5432} dbname=${database}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${SESSIONS}
max_client_conn = ${clients}
`,
  )
  const asRoot = process.getuid?.() === 0
  let said = ''
  const start = () => {
    const started = spawn(PROGRAM, [...(asRoot ? ['-u', 'nobody'] : []), file], { stdio: ['ignore', 'ignore', 'pipe'] })
    started.stderr.on('data', (data) => {
      said += data
    })
    return started
  }
  let child = start()
  const through = (url: string) => {
    const address = new URL(url)
    address.host = `127.0.0.1:${port}`
    address.searchParams.set('pooled', 'true')
    return address.toString()
  }
  const takesConnections = async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${said} ${await readFile(file, 'utf8')}`)
    const address = new URL(server)
    address.host = `127.0.0.1:${port}`
    const client = new pg.Client({ connectionString: address.toString() })
    await client.connect()
    await client.end()
  }
  const end = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  await eventually(takesConnections)
  return {
    through,
    async restart() {
      await end()
      child = start()
      await eventually(takesConnections)
    },
    async [Symbol.asyncDispose]() {
      await end()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
