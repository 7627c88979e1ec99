import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { noSshd, type SftpServer, startSftpServer } from '../../packages/tillbridge-adapter-files/test/sshd.ts'
import type { ArchivedFile, ArchiveOptions } from '../../src/archive/archive.ts'
import { tillbridge } from '../cli/run.ts'
import { ADMIN_TOKEN } from '../hub.ts'
import { temporaryFolder } from '../storage/sqlite/file.ts'

export interface Place extends AsyncDisposable {
  /** As config has it, without `keep`. */
  options: Pick<ArchiveOptions, 'folder' | 'sftp'>
  /** Where its files lie on this machine, whatever the way to them. */
  path: string
  where: string
  /** Null: it is a folder of this machine. */
  server: SftpServer | null
  /** The pages of the manifest, line by line, the oldest events first. */
  lines(): ArchivedFile[]
  named(): string[]
  /** Every file of events that lies there, named or not, and what else does. */
  files(): string[]
  others(): string[]
  /** Runs a command on a machine whose config names this archive. */
  ask(args: readonly string[], env?: Record<string, string>): ReturnType<typeof tillbridge>
}

/** Both sorts of places, for `describe.each`; without an sshd, the folder alone. */
export const PLACES = noSshd ? (['folder'] as const) : (['folder', 'sftp'] as const)

export async function openPlace(sort: 'folder' | 'sftp'): Promise<Place> {
  const folder = temporaryFolder()
  const path = join(folder.path, 'archive')
  const server = sort === 'sftp' ? await startSftpServer() : null
  const sftp = server?.access(path) ?? null
  const everything = () =>
    existsSync(path)
      ? readdirSync(path, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
          .sort()
      : []
  const lines = () =>
    everything()
      .filter((name) => /^manifest\/[^/]+\.ndjson$/.test(name))
      .flatMap((name) => readFileSync(join(path, name), 'utf8').trim().split('\n'))
      .map((line): ArchivedFile => JSON.parse(line))
      .sort((a, b) => a.first - b.first)
  return {
    options: sftp ? { sftp } : { folder: path },
    path,
    where: sftp ? `sftp://127.0.0.1:${sftp.port}${path}` : path,
    server,
    lines,
    named: () =>
      lines()
        .map(({ file }) => file)
        .sort(),
    files: () => everything().filter((name) => name.endsWith('.zst')),
    others: () => everything().filter((name) => !name.endsWith('.zst')),
    ask(args, env = {}) {
      const config = join(folder.path, 'tillbridge.yaml')
      const named = sftp ? { sftp: { ...sftp, privateKey: '$' + '{ARCHIVE_KEY}' } } : { folder: path }
      writeFileSync(config, yamlWith(named))
      const known = { TILLBRIDGE_CONFIG: config, ADMIN_TOKEN, ...(sftp && { ARCHIVE_KEY: sftp.privateKey }) }
      return tillbridge(args, { ...known, ...env })
    },
    async [Symbol.asyncDispose]() {
      await server?.[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

function yamlWith(archive: object): string {
  const token = '$' + '{ADMIN_TOKEN}'
  return JSON.stringify({
    server: { adminToken: token },
    platform: { webhooks: { tokens: [token] } },
    retention: { archive },
  })
}
