import type { Examined } from '../ports/examined.ts'
import type { SftpOptions } from './sftp/options.ts'
import { type Files, type FilesError, isTrouble } from './transport.ts'

/** Made and removed at once, to see that the hub may; empty and hidden. What a look that died has left, the next one removes. */
const PROBE = '.tillbridge-look'

/** With less room than this, a few days' files may fill a disk (bytes). */
const LITTLE = 100 * 1024 * 1024

/** The findings on a server that was reached, and has let us in. */
export function lettingIn({ host, port, hostKey, password }: SftpOptions): Examined[] {
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

/** Throws as writing does. Nothing is left there. */
export async function tryToWrite(files: Files, folder: string): Promise<void> {
  const probe = folder === '' ? PROBE : `${folder}/${PROBE}`
  try {
    await files.create(probe, new Uint8Array())
  } catch (error) {
    if (!isTrouble(error, 'exists')) throw error
  }
  await files.remove(probe)
}

/** The finding on a folder that is well, but for its room where that is little. `facts`: sentences; `room`: bytes, null: nobody knows. */
export function folderFound(what: string, facts: readonly string[], room: number | null): Examined {
  const says = [...facts, ...(room === null ? [] : [`${spell(room)} are free.`])].join(' ')
  if (room === null || room >= LITTLE) return { what, state: 'ok', says }
  return { what, state: 'problem', says, todo: 'make room on its disk, or raise the quota.' }
}

/** The finding on a folder that cannot be used. */
export function folderInTrouble(what: string, error: FilesError, says = `It ${error.message}`): Examined {
  return { what, state: 'problem', says, todo: todoAbout(error) }
}

/** The findings on a folder that the hub makes for itself. `where`: for people. Throws where it gets no further. */
export async function examineFolder(
  files: Files,
  { where, sftp }: { where: string; sftp: SftpOptions | undefined },
): Promise<Examined[]> {
  const found = sftp ? lettingIn(sftp) : []
  const what = `folder ${where}`
  try {
    if ((await files.stat('')) === null)
      return [...found, { what, state: 'note', says: 'It is not there yet: the hub makes it for the first file.' }]
    await files.list('')
    await tryToWrite(files, '')
    return [...found, folderFound(what, ['It can be read and written to.'], await files.room(''))]
  } catch (error) {
    if (!isTrouble(error, 'missing', 'denied', 'full', 'failed')) throw error
    return [...found, folderInTrouble(what, error)]
  }
}

function spell(bytes: number): string {
  const [size, unit] = bytes >= 1024 ** 3 ? [bytes / 1024 ** 3, 'GB'] : [bytes / 1024 ** 2, 'MB']
  return `${size < 10 ? Math.floor(size * 10) / 10 : Math.floor(size)} ${unit}`
}

function todoAbout({ trouble }: FilesError): string {
  if (trouble === 'missing') return 'make it, or name another one in config.'
  if (trouble === 'full') return 'make room on its disk, or raise the quota.'
  return 'give the user that config names there (of a folder of this machine: the one that the hub runs as) the right to read, write and delete there.'
}
