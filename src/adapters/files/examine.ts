import { counted } from '../../domain/values/counted.ts'
import { folderFound, folderInTrouble, lettingIn, tryToWrite } from '../../folders/examine.ts'
import { isTrouble } from '../../folders/files-error.ts'
import type { Files, Transport } from '../../folders/transport.ts'
import type { Examined } from '../../ports/examined.ts'
import type { FilesOptions } from './options.ts'
import type { Source } from './read-options.ts'
import { isWaiting } from './reading/claiming.ts'
import { deliveryError } from './trouble.ts'

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
      const found: Examined[] = options.sftp ? lettingIn(options.sftp) : []
      for (const [path, sources] of new Map([...written, ...reads]))
        found.push(await lookAtFolder(files, path, { name: path === '' ? transport.where : path, sources }))
      return found
    })
  } catch (error) {
    throw deliveryError(error, destination, transport.where)
  }
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
    // Files that were read are moved away, so that it must be writable, too.
    await tryToWrite(files, path)
    const waiting = entries.filter((entry) => isWaiting(entry) && sources.some(({ matches }) => matches(entry.name)))
    const unnameable = entries.filter((one) => one.isUnnameable && sources.some(({ matches }) => matches(one.name)))
    if (unnameable.length > 0)
      return {
        what,
        state: 'problem',
        says: `Names there have bytes that are no UTF-8: ${unnameable.map(({ name }) => name).join(', ')}. These files are not read.`,
        todo: 'rename them there.',
      }
    const facts =
      sources.length > 0
        ? ['It can be read and written to.', `${counted(waiting.length, 'file waits', 'files wait')} there.`]
        : ['It can be written to.']
    return folderFound(what, facts, await files.room(path))
  } catch (error) {
    if (!isTrouble(error, 'missing', 'denied', 'full', 'failed')) throw error
    const isRefused = error.trouble === 'denied' && !isRead
    return folderInTrouble(what, error, isRefused ? 'It may not be read: permission denied.' : undefined)
  }
}
