import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

/** A person who was forgotten after files were written: nothing of the person is in it without the secret of the store. */
const ArchivedErasure = z.object({
  pseudonym: z.string(),
  at: z.string(),
  /** What the person was told by, as in a proof (admin/people/proof.ts). */
  keys: z.array(z.string()),
})

export type ArchivedErasure = z.output<typeof ArchivedErasure>

/** Its name in the folder: a line an erasure. */
const ERASURES = 'erasures.ndjson'

/** Adds an erasure to an archive: what is read from it from now on says nothing of that person. On disk when it resolves. */
export async function noteErasure(folder: string, erasure: ArchivedErasure): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const handle = await open(join(folder, ERASURES), 'a', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(erasure)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The erasures that an archive knows of, the oldest first. Throws where the file cannot be read: whom it names is not known then. */
export async function readErasures(folder: string): Promise<ArchivedErasure[]> {
  const text = await readFile(join(folder, ERASURES), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => ArchivedErasure.parse(JSON.parse(line)))
}
