import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { issuesOf } from '../../config/reading/issues.ts'
import { pathText } from '../../config/reading/path.ts'
import { inJson, plainWords } from '../../config/reading/plain-words.ts'
import { CERTIFIED_SETS, type Certificate } from '../../domain/ledger/certificate/certificate.ts'
import { UserError } from '../../domain/values/errors.ts'

const Row = z.tuple([z.string(), z.string().nullable(), z.string().nullable()])
const sums = z.array(z.object({ currency: z.string().nullable(), sum: z.string() }))
const Summary = z.object({ set: z.enum(CERTIFIED_SETS), count: z.number(), sums, hash: z.string() })
const verdict = z.enum(['proven', 'gaps', 'unknown'])
const text = z.string().nullable()

/** The fields that are recomputed or shown; all else is kept as it stands, since it is signed too. */
const Shape = z.looseObject({
  format: z.literal('tillbridge-certificate-1'),
  store: z.looseObject({ id: z.string(), number: text, name: text, zone: z.string() }),
  day: z.string(),
  from: z.string(),
  to: z.string(),
  madeAt: z.string(),
  madeBy: z.string(),
  verdict,
  watermarks: z.array(z.looseObject({ level: z.string(), kind: z.string(), store: text, until: z.string(), verdict })),
  ranges: z.array(z.looseObject({ kind: z.string(), from: z.string(), to: z.string() })),
  gaps: z.array(z.looseObject({ id: z.number(), kind: text, cause: z.string(), state: z.string(), reason: text })),
  owed: z
    .array(
      z.looseObject({
        kind: z.string(),
        state: z.string(),
        count: z.number(),
        events: z.array(z.number()),
        more: z.boolean(),
      }),
    )
    .optional(),
  settlements: z.array(z.looseObject({ till: text, number: text, grandTotal: text, counter: text, currency: text })),
  sets: z.array(Summary),
  rows: z.object(Object.fromEntries(CERTIFIED_SETS.map((set) => [set, z.array(Row)]))),
  key: z.object({ id: z.string(), publicKey: z.string() }),
  signature: z.string(),
})

/** Reads a certificate's file. Throws a UserError where it is none. */
export async function readCertificate(file: string): Promise<Certificate> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`${file} cannot be read: ${error.code ?? error.message}.`)
  })
  const value = jsonOf(text, file)
  const { success, error } = Shape.safeParse(value, { error: plainWords })
  if (success) return value as Certificate
  const [{ path, expected } = { path: [], expected: 'another' }] = issuesOf(error.issues)
  throw new UserError(`${file} is no certificate: ${pathText(path) || 'it'}: expected ${inJson(expected)}.`)
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UserError(`${file} is no certificate: it is no JSON.`)
  }
}
