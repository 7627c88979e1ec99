import { counted } from '../../domain/values/counted.ts'
import type { Examined } from '../../ports/examined.ts'
import { type FilesError, isTrouble } from './files-error.ts'
import type { FilesOptions } from './options.ts'
import type { Source } from './read-options.ts'
import { isWaiting } from './reading/claiming.ts'
import { under } from './reading/places.ts'
import type { FileEntry, Files, Transport } from './transport.ts'
import { deliveryError } from './trouble.ts'

/** Made and removed at once, to see that the hub may; empty and hidden. What a look that died has left, the next one removes. */
const PROBE = '.tillbridge-look'

/** With less room than this, a few days' files may fill a disk (bytes). */
const LITTLE = 100 * 1024 * 1024

interface Tools {
  transport: Transport
  destination: string
  signal: AbortSignal
}

/** Looks at every folder of the destination, and leaves nothing there. Throws as a call does where it gets no further. */
export async function examineFolders(options: FilesOptions, tools: Tools): Promise<Examined[]> {
  const { transport, destination, signal } = tools
  const reads = Map.groupBy(options.read ?? [], ({ folder }) => folder)
  const written: [string, Source[]][] = options.write ? [['', []]] : []
  try {
    return await transport.use(signal, async (files) => {
      const found: Examined[] = connected(options)
      for (const [path, sources] of new Map([...written, ...reads]))
        found.push(await lookAtFolder(files, path, { name: path === '' ? transport.where : path, sources }))
      return found
    })
  } catch (error) {
    throw deliveryError(error, destination, transport.where)
  }
}

function connected({ sftp }: FilesOptions): Examined[] {
  if (!sftp) return []
  const { host, port, hostKey, password } = sftp
  const connection: Examined =
    hostKey === 'any'
      ? {
          what: 'connection',
          state: 'note',
          says: 'It is reached. Config asks for no host key, so that another machine could answer in its place.',
          todo: `put the fingerprint into sftp.hostKey: ssh-keyscan -p ${port} ${host} | ssh-keygen -lf -`,
        }
      : { what: 'connection', state: 'ok', says: 'It is reached, and shows the host key of config.' }
  const ours = password === undefined ? 'key' : 'password'
  return [connection, { what: 'credentials', state: 'ok', says: `It takes our user and ${ours}.` }]
}

interface Looked {
  name: string
  /** Sources whose files come there; none: files are only written. */
  sources: readonly Source[]
}

async function lookAtFolder(files: Files, path: string, { name, sources }: Looked): Promise<Examined> {
  const what = `folder ${name}`
  let isRead = false
  try {
    if ((await files.stat(path)) === null)
      return { what, state: 'problem', says: 'It is not there.', todo: 'make it, or name another one in config.' }
    const entries = sources.length > 0 ? await files.list(path) : []
    isRead = true
    await tryToWrite(files, path)
    return judgeFolder(what, await files.room(path), sources, entries)
  } catch (error) {
    if (!isTrouble(error, 'missing', 'denied', 'full', 'failed')) throw error
    const says =
      error.trouble === 'denied' && !isRead ? 'It may not be read: permission denied.' : `It ${error.message}`
    return { what, state: 'problem', says, todo: todoAbout(error) }
  }
}

/** Files that were read are moved away, so that it must be writable, too. */
async function tryToWrite(files: Files, path: string): Promise<void> {
  const probe = under(path, PROBE)
  try {
    await files.create(probe, new Uint8Array())
  } catch (error) {
    if (!isTrouble(error, 'exists')) throw error
  }
  await files.remove(probe)
}

/** Pure. `room`: bytes; null: nobody knows. */
function judgeFolder(
  what: string,
  room: number | null,
  sources: readonly Source[],
  entries: readonly FileEntry[],
): Examined {
  const waiting = entries.filter((entry) => isWaiting(entry) && sources.some(({ matches }) => matches(entry.name)))
  const facts = [
    sources.length > 0 ? 'It can be read and written to.' : 'It can be written to.',
    ...(sources.length > 0 ? [`${counted(waiting.length, 'file waits', 'files wait')} there.`] : []),
    ...(room === null ? [] : [`${spell(room)} are free.`]),
  ]
  if (room === null || room >= LITTLE) return { what, state: 'ok', says: facts.join(' ') }
  return { what, state: 'problem', says: facts.join(' '), todo: 'make room on its disk, or raise the quota.' }
}

function spell(bytes: number): string {
  const [size, unit] = bytes >= 1024 ** 3 ? [bytes / 1024 ** 3, 'GB'] : [bytes / 1024 ** 2, 'MB']
  return `${size < 10 ? Math.floor(size * 10) / 10 : Math.floor(size)} ${unit}`
}

function todoAbout({ trouble }: FilesError): string {
  if (trouble === 'missing') return 'make it, or name another one in config.'
  if (trouble === 'full') return 'make room on its disk, or raise the quota.'
  return 'give the user of this destination (of a folder of this machine: the one that the hub runs as) the right to read, write and delete there.'
}
