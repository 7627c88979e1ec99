import type { HealthFinding } from '../ports/ports.ts'
import { createSftpFolder, type SftpLimits, type SftpOptions } from './sftp.ts'
import { createLocalFolder, type Files, type FilesError, isFault, type Transport } from './transport.ts'

export interface FolderOptions {
  folder?: string | undefined
  mode?: string | undefined
  sftp?: SftpOptions | undefined
}

export function openFolder({ folder, mode, sftp }: FolderOptions, limits: SftpLimits): Transport {
  return sftp ? createSftpFolder(sftp, limits) : createLocalFolder(folder ?? '', Number.parseInt(mode ?? '0600', 8))
}

const PROBE = '.tillbridge-look'

const LITTLE = 100 * 1024 * 1024

export function lettingIn({ host, port, hostKey, password }: SftpOptions): HealthFinding[] {
  const says = 'It is reached. Config asks for no host key, so that another machine could answer in its place.'
  const todo = `put the fingerprint into sftp.hostKey: ssh-keyscan -p ${port} ${host} | ssh-keygen -lf -`
  const ours = password === undefined ? 'key' : 'password'
  return [
    hostKey === 'any'
      ? { what: 'connection', state: 'note', says, todo }
      : { what: 'connection', state: 'ok', says: 'It is reached, and shows the host key of config.' },
    { what: 'credentials', state: 'ok', says: `It takes our user and ${ours}.` },
  ]
}

async function tryToWrite(files: Files, folder: string): Promise<void> {
  const probe = folder === '' ? PROBE : `${folder}/${PROBE}`
  try {
    await files.create(probe, new Uint8Array())
  } catch (error) {
    if (!isFault(error, 'exists')) throw error
  }
  await files.remove(probe)
}

/** A problem where little space is left (bytes; null: unknown). */
function folderFound(what: string, facts: readonly string[], room: number | null): HealthFinding {
  const says = [...facts, ...(room === null ? [] : [`${spell(room)} are free.`])].join(' ')
  if (room === null || room >= LITTLE) return { what, state: 'ok', says }
  return { what, state: 'problem', says, todo: 'make room on its disk, or raise the quota.' }
}

/** Whether it can be written to, and what `look` tells of what is in it. */
export async function probeFolder(
  files: Files,
  path: string,
  { what, absent, look }: { what: string; absent: HealthFinding; look(): Promise<string[] | HealthFinding> },
): Promise<HealthFinding> {
  let isRead = false
  try {
    if ((await files.stat(path)) === null) return absent
    const found = await look()
    isRead = true
    await tryToWrite(files, path)
    return Array.isArray(found) ? folderFound(what, found, await files.freeSpace(path)) : found
  } catch (error) {
    if (!isFault(error, 'missing', 'denied', 'full', 'failed')) throw error
    const isUnreadable = error.fault === 'denied' && !isRead
    const says = isUnreadable ? 'It may not be read: permission denied.' : `It ${error.message}`
    return { what, state: 'problem', says, todo: todoAbout(error) }
  }
}

export async function checkFolder(
  files: Files,
  { where, sftp }: { where: string; sftp: SftpOptions | undefined },
): Promise<HealthFinding[]> {
  const found = sftp ? lettingIn(sftp) : []
  const what = `folder ${where}`
  const says = 'It is not there yet: the hub makes it for the first file.'
  const absent: HealthFinding = { what, state: 'note', says }
  const look = () => files.list('').then(() => ['It can be read and written to.'])
  return [...found, await probeFolder(files, '', { what, absent, look })]
}

function spell(bytes: number): string {
  const [size, unit] = bytes >= 1024 ** 3 ? [bytes / 1024 ** 3, 'GB'] : [bytes / 1024 ** 2, 'MB']
  return `${size < 10 ? Math.floor(size * 10) / 10 : Math.floor(size)} ${unit}`
}

function todoAbout({ fault }: FilesError): string {
  if (fault === 'missing') return 'make it, or name another one in config.'
  if (fault === 'full') return 'make room on its disk, or raise the quota.'
  return 'give the user that config names there (of a folder of this machine: the one that the hub runs as) the right to read, write and delete there.'
}
