import { z } from 'zod'
import { foldBytes, folded, pluralize } from '../../domain/values/text.ts'
import { lettingIn, openFolder, probeFolder } from '../../folders/open.ts'
import { SftpOptions } from '../../folders/sftp.ts'
import { type FileEntry, type Files, FilesError, type Transport } from '../../folders/transport.ts'
import type { HealthFinding } from '../../ports/ports.ts'
import { defineAdapter, type FoundFiles } from '../adapter.ts'
import { createBackOffice } from './back-office.ts'
import { isWaiting } from './claims.ts'
import { createFilesIntake } from './intake.ts'
import { folderError } from './outbox.ts'
import { ReadOptions, type Source } from './read-options.ts'
import { WriteOptions } from './write-options.ts'

const FilesOptions = z
  .strictObject({
    folder: z
      .string()
      .min(1)
      .optional()
      .describe('Path of a folder of this machine, or of a share that is mounted here.'),
    mode: z
      .enum(['0600', '0640', '0660', '0644', '0664'])
      .optional()
      .describe(
        'With folder: who may read what the hub writes there. 0600, the default: the user that the hub runs as; 0640: its group as well; 0660: its group may change it, too; 0644 and 0664: everybody on the machine may read it.',
      ),
    sftp: SftpOptions.optional().describe('A folder of an SFTP server, in place of one of this machine.'),
    write: WriteOptions.optional().describe(
      'What is written, by kind of record, and how. What is left out is not written here.',
    ),
    read: ReadOptions.optional().describe('What is read, by resource of /v1: files that the system puts there.'),
  })
  .superRefine(({ folder, mode, sftp, write, read }, context) => {
    if ((folder === undefined) === (sftp === undefined))
      context.addIssue({ code: 'custom', path: ['folder'], message: 'Give either folder or sftp.' })
    if (sftp && mode !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['mode'],
        message: 'Is for folder: the server of sftp gives rights itself.',
      })
    if (!write && !read) context.addIssue({ code: 'custom', path: ['write'], message: 'Give write, read, or both.' })
  })

type FilesOptions = z.output<typeof FilesOptions>

export default defineAdapter({
  name: 'files',
  options: FilesOptions,
  create(options, { destination, concurrency, timeout }) {
    const transport = openFolder(options, { connections: concurrency, timeout })
    const { write, read } = options
    const backOffice = write ? createBackOffice(write, transport, destination) : null
    return {
      // A local process that died wrote nothing more; a server may still complete a write.
      ...(options.folder !== undefined && { inDoubtFor: 0 }),
      ports: backOffice ? { backOffice: backOffice.port } : {},
      ...(read && { intake: createFilesIntake(read, transport, destination) }),
      search: (texts, signal) => searchFolder(transport, texts, signal),
      healthCheck: ({ signal }) => checkFolders(options, { transport, destination, signal }),
      async [Symbol.asyncDispose]() {
        await backOffice?.[Symbol.asyncDispose]()
        await transport[Symbol.asyncDispose]()
      },
    }
  },
})

interface Tools {
  transport: Transport
  destination: string
  signal: AbortSignal
}

async function checkFolders(options: FilesOptions, tools: Tools): Promise<HealthFinding[]> {
  const { transport, destination, signal } = tools
  const reads = Map.groupBy(options.read ?? [], ({ folder }) => folder)
  const written: [string, Source[]][] = options.write ? [['', []]] : []
  try {
    return await transport.use(signal, async (files) => {
      const found: HealthFinding[] = options.sftp ? lettingIn(options.sftp) : []
      for (const [path, sources] of new Map([...written, ...reads]))
        found.push(await lookAtFolder(files, path, { name: path === '' ? transport.where : path, sources }))
      return found
    })
  } catch (error) {
    throw folderError(error, `${destination}: ${transport.where}`)
  }
}

async function lookAtFolder(
  files: Files,
  path: string,
  { name, sources }: { name: string; sources: readonly Source[] },
): Promise<HealthFinding> {
  const what = `folder ${name}`
  const absent: HealthFinding = {
    what,
    state: 'problem',
    says: 'It is not there.',
    todo: 'make it, or name another one in config.',
  }
  async function look(): Promise<string[] | HealthFinding> {
    if (sources.length === 0) return ['It can be written to.']
    const entries = (await files.list(path)).filter((entry) => sources.some(({ matches }) => matches(entry.name)))
    const unnameable = entries.filter(({ isUnnameable }) => isUnnameable)
    if (unnameable.length > 0)
      return {
        what,
        state: 'problem',
        says: `Names there have bytes that are no UTF-8: ${unnameable.map(({ name }) => name).join(', ')}. These files are not read.`,
        todo: 'rename them there.',
      }
    const waiting = pluralize(entries.filter(isWaiting).length, 'file waits', 'files wait')
    return ['It can be read and written to.', `${waiting} there.`]
  }
  return await probeFolder(files, path, { what, absent, look })
}

const LARGEST = 256 * 1024 * 1024
const DEEPEST = 16

/** Files that contain one of these texts, in UTF-8 or Latin 1. What cannot be read is named. */
async function searchFolder(transport: Transport, texts: readonly string[], signal: AbortSignal): Promise<FoundFiles> {
  const found: FoundFiles = { saying: [], unread: [] }
  const wanted = texts.flatMap((text) =>
    (['utf8', 'latin1'] as const).map((encoding) => Buffer.from(folded(text), encoding)),
  )
  const overlap = Math.max(0, ...wanted.map(({ byteLength }) => byteLength))
  const shown = (path: string) => `${transport.where}/${path}`
  try {
    await transport.use(signal, (files) => walk(files, '', 0))
  } catch (error) {
    if (!(error instanceof FilesError)) throw error
    found.unread.push(transport.where)
  }
  return found

  async function walk(files: Files, folder: string, depth: number): Promise<void> {
    for (const entry of await files.list(folder)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isUnnameable) found.unread.push(shown(path))
      else if (entry.type === 'file') await look(files, entry, path)
      else if (entry.type === 'folder' && depth < DEEPEST) await walk(files, path, depth + 1).catch(unreadAt(path))
      else if (entry.type === 'folder') found.unread.push(shown(path))
    }
  }

  async function look(files: Files, { size }: FileEntry, path: string): Promise<void> {
    if (size > LARGEST) return void found.unread.push(shown(path))
    if (await saysOne(files, path).catch(unreadAt(path))) found.saying.push(shown(path))
  }

  async function saysOne(files: Files, path: string): Promise<boolean> {
    let end = Buffer.alloc(0)
    for await (const piece of files.read(path)) {
      const bytes = foldBytes(Buffer.concat([end, piece]))
      if (wanted.some((one) => bytes.includes(one))) return true
      end = bytes.subarray(Math.max(0, bytes.byteLength - overlap))
    }
    return false
  }

  function unreadAt(path: string): (error: unknown) => false {
    return (error) => {
      if (!(error instanceof FilesError) || error.fault === 'aborted') throw error
      if (error.fault !== 'missing') found.unread.push(shown(path))
      return false
    }
  }
}
