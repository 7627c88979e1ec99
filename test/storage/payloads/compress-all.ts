import type { Storage } from '../../../src/storage/storage.ts'

/** All payloads that came before an instant, in as many commits as it takes. */
export async function compressAll(storage: Pick<Storage, 'compressPayloads'>, before: number) {
  const all = { payloads: 0, bytes: 0, plainBytes: 0 }
  for (let after: number | null = 0; after !== null; ) {
    const some: Awaited<ReturnType<Storage['compressPayloads']>> = await storage.compressPayloads(after, before)
    all.payloads += some.payloads
    all.bytes += some.bytes
    all.plainBytes += some.plainBytes
    after = some.after
  }
  return all
}
