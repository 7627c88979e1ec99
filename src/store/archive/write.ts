import { createHash } from 'node:crypto'
import { mkdir, open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { formatInstant } from '../../domain/values/instant.ts'
import type { EventDetail } from '../screens.ts'
import { type ArchivedEvent, type ArchivedFile, MANIFEST } from './manifest.ts'

const compress = promisify(zstdCompress)

/** A file holds so many bytes of events before they are compressed, and one event more at most. */
const LARGEST = 8 * 1_048_576

/** Rights: it holds what people bought. */
const FILE = 0o600
const FOLDER = 0o700

/** Collects events, and writes them into an archive: by kind and month, each file once it is full. */
export function createArchiveWriter(folder: string) {
  const waiting = new Map<string, { kind: string; month: string; ids: number[]; lines: string[]; bytes: number }>()

  async function write(key: string): Promise<void> {
    const part = waiting.get(key)
    if (part === undefined) return
    const { kind, month, ids, lines } = part
    const [first = 0, last = 0] = [ids[0], ids.at(-1)]
    const plain = Buffer.from(`${lines.join('\n')}\n`)
    const body = await compress(plain, { pledgedSrcSize: plain.byteLength })
    // The same events make the same name: a run that was cut off is written over.
    const file = `${encodeURIComponent(kind)}/${month}/${first}-${last}.ndjson.zst`
    await writeWhole(join(folder, file), body)
    const sha256 = createHash('sha256').update(body).digest('hex')
    const entry: ArchivedFile = { file, sha256, kind, month, first, last, events: ids.length, bytes: body.byteLength }
    await append(join(folder, MANIFEST), `${JSON.stringify(entry)}\n`)
    waiting.delete(key)
  }

  return {
    /** Takes an event in; it is in a file when `end` resolves. */
    async add(event: EventDetail): Promise<void> {
      const { kind, id } = event
      const month = formatInstant(event.receivedAt).slice(0, 7)
      const key = `${month} ${kind}`
      const part = waiting.get(key) ?? { kind, month, ids: [], lines: [], bytes: 0 }
      waiting.set(key, part)
      const line = JSON.stringify({ ...event, body: bodyOf(event.body) } satisfies ArchivedEvent)
      part.ids.push(id)
      part.lines.push(line)
      part.bytes += line.length
      if (part.bytes > LARGEST) await write(key)
    },

    /** All that was taken in is on disk when it resolves. */
    async end(): Promise<void> {
      for (const key of [...waiting.keys()]) await write(key)
    },
  }
}

function bodyOf(body: Uint8Array | null): ArchivedEvent['body'] {
  if (body === null) return null
  const text = Buffer.from(body).toString('utf8')
  return Buffer.from(text, 'utf8').equals(body) ? { text } : { base64: Buffer.from(body).toString('base64') }
}

/** All of it or nothing stands under that name, and on disk. */
async function writeWhole(path: string, body: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: FOLDER })
  const beside = `${path}.part`
  const file = await open(beside, 'w', FILE)
  try {
    await file.writeFile(body)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(beside, path)
  await syncFolder(dirname(path))
}

async function append(path: string, line: string): Promise<void> {
  const file = await open(path, 'a', FILE)
  try {
    await file.writeFile(line)
    await file.sync()
  } finally {
    await file.close()
  }
  await syncFolder(dirname(path))
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
