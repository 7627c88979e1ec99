import { isIP, Socket } from 'node:net'
import { createLookup, isDecodable, literalFault } from 'tillbridge/adapter'

export interface SqlAddress {
  dialect: 'postgres' | 'mysql'
  host: string
  port: number
  user: string
  password: string
  database: string
  tls: 'off' | 'unchecked' | 'checked'
  /** Without user and password. */
  server: string
  /** Its name may lead to a private address. */
  allowPrivate?: boolean | undefined
}

const DIALECTS: Readonly<Record<string, { dialect: SqlAddress['dialect']; port: number }>> = {
  'postgres:': { dialect: 'postgres', port: 5432 },
  'postgresql:': { dialect: 'postgres', port: 5432 },
  'mysql:': { dialect: 'mysql', port: 3306 },
  'mariadb:': { dialect: 'mysql', port: 3306 },
}

const TLS: Readonly<Record<string, SqlAddress['tls']>> = {
  disable: 'off',
  'no-verify': 'unchecked',
  require: 'checked',
  'verify-ca': 'checked',
  'verify-full': 'checked',
}

export function readSqlUrl(text: string): SqlAddress {
  const url = new URL(text)
  const { dialect, port } = DIALECTS[url.protocol] ?? { dialect: 'postgres', port: 5432 }
  const database = decodeURIComponent(url.pathname.slice(1))
  return {
    dialect,
    host: hostOf(url),
    port: Number(url.port) || port,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database,
    tls: TLS[url.searchParams.get('sslmode') ?? 'disable'] ?? 'checked',
    server: `${url.protocol}//${url.hostname}:${Number(url.port) || port}/${database}`,
  }
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

const KEEP_ALIVE = 10_000

export type SqlSocket = Socket & { open(): void }

/** Connects to addresses that config means, and no other. */
export function createSocket({
  host,
  port,
  allowPrivate,
}: Pick<SqlAddress, 'host' | 'port' | 'allowPrivate'>): SqlSocket {
  const socket = new Socket()
  const connect = socket.connect.bind(socket)
  const open = () => {
    connect({ host, port, lookup: createLookup({ allowPrivate }) })
    socket.setNoDelay().setKeepAlive(true, KEEP_ALIVE)
  }
  return Object.assign(socket, {
    open,
    connect() {
      open()
      return socket
    },
  })
}

export function sqlUrlFault(text: string): string | null {
  const url = URL.parse(text)
  if (!url || !DIALECTS[url.protocol] || !url.hostname)
    return 'Must be an address such as postgres://user:password@host:5432/database (or mysql://, mariadb://).'
  if (!url.username) return 'Must name a user.'
  if (!isDecodable(url.username + url.password + url.pathname))
    return 'Must have a % in its user, password and database written as %25.'
  if (!/^\/[^/]+$/.test(url.pathname)) return 'Must name a database after the port, and nothing after it.'
  if (url.hash) return 'Must have no # (in a password, write %23).'
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'sslmode')
  if (unknown !== undefined) return 'Must have no parameter but sslmode.'
  const mode = url.searchParams.get('sslmode')
  if (mode !== null && !Object.hasOwn(TLS, mode)) return `Must have an sslmode of ${Object.keys(TLS).join(', ')}.`
  // The driver would check another name.
  if (DIALECTS[url.protocol]?.dialect === 'mysql' && TLS[mode ?? ''] === 'checked' && isIP(hostOf(url)) !== 0)
    return 'Must name the server by its name, not by an IP address, for its certificate to be checked.'
  return literalFault(url.hostname)
}
