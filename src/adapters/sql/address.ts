/** Where and as whom to connect. */
export interface SqlAddress {
  dialect: 'postgres' | 'mysql'
  host: string
  port: number
  user: string
  password: string
  database: string
  tls: 'off' | 'unchecked' | 'checked'
  /** For people: no user, no password. */
  server: string
}

/** Protocols of the URLs that are taken. */
export const DIALECTS: Readonly<Record<string, { dialect: SqlAddress['dialect']; port: number }>> = {
  'postgres:': { dialect: 'postgres', port: 5432 },
  'postgresql:': { dialect: 'postgres', port: 5432 },
  'mysql:': { dialect: 'mysql', port: 3306 },
  'mariadb:': { dialect: 'mysql', port: 3306 },
}

/** The words of libpq. The first three of `checked` are one: an encrypted wire to who knows whom would be of little use. */
export const TLS: Readonly<Record<string, SqlAddress['tls']>> = {
  disable: 'off',
  'no-verify': 'unchecked',
  require: 'checked',
  'verify-ca': 'checked',
  'verify-full': 'checked',
}

/** Takes a checked `url` apart. */
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

/** The host without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}
