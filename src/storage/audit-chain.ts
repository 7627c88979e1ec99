import { hash } from 'node:crypto'
import { withoutSealed } from '../domain/privacy/notice.ts'
import { storableText } from '../domain/values/text.ts'
import { orElse } from '../lib/or-else.ts'
import type { AuditRow, ChainedAct } from './rows.ts'

/*
 * Each entry of the audit has the hash of itself and of the one before it, so that an edited or a missing one is found
 * (a hash chain, as of RFC 9162 logs and of git). Who can write to the storage can compute a new chain: a head that was
 * written down elsewhere shows that, too.
 */

/** Action of the entry that says what earlier ones say since personal data was taken out of them. */
export const REWRITTEN = 'rewrite-audit'

type Words = Pick<AuditRow, 'reason' | 'selection' | 'refused'>

/** Digest of what may name persons. What an erasure has sealed for a while is not in it. */
export function wordsOf({ reason, selection, refused }: Words): string {
  return digest([reason, withoutSealed(selection), refused])
}

type Link = Pick<ChainedAct, 'at' | 'by' | 'action' | 'role' | 'address' | 'words'>

export function chained(before: string, { at, by, action, role, address, words }: Link): string {
  return digest([before, at, by, action, role, address, words])
}

function digest(parts: readonly (string | number | null)[]): string {
  return hash('sha256', JSON.stringify(parts.map((part) => (typeof part === 'string' ? storableText(part) : part))))
}

/** Digests by id of entries that no longer say what was written; null: all do. */
export function rewrittenOf(rows: readonly ChainedAct[]): Record<string, string> | null {
  const rewritten = rows.flatMap((row) => (wordsOf(row) === row.words ? [] : [[String(row.id), wordsOf(row)]]))
  return rewritten.length === 0 ? null : Object.fromEntries(rewritten)
}

export interface VerifiedAudit {
  entries: number
  /** Hash of the last entry: keep it elsewhere, and give it to a later verification. */
  head: string | null
  /** Entries out of which an erasure took personal data. */
  rewritten: number
  faults: AuditFault[]
}

/**
 * `broken`: the entry does not follow from the one before it (`after`): it was edited, or entries between are missing.
 * `words`: its reason, selection or refusal was edited. `end`: the last entries are missing. `head`: the known head is not in it.
 */
export type AuditFault =
  | { what: 'broken'; act: number; after: number | null }
  | { what: 'words'; act: number }
  | { what: 'end' | 'head' }

interface Chain {
  auditChain(): Promise<{ anchor: string; head: string } | null>
  auditPage(after: number, limit: number): Promise<ChainedAct[]>
}

const PAGE = 1_000
const MAX_FAULTS = 100

/** Reads the audit from its oldest entry on. `known`: a head of earlier, which must still be in it. */
export async function verifyAudit(storage: Chain, known: string | null = null): Promise<VerifiedAudit> {
  const chain = await storage.auditChain()
  const faults: AuditFault[] = []
  const changed = new Map<number, string>()
  const said = new Map<string, string>()
  const hashes = new Set([chain?.anchor ?? ''])
  let before = chain?.anchor ?? ''
  let after: number | null = null
  let entries = 0
  for (let page = await storage.auditPage(0, PAGE); page.length > 0; page = await storage.auditPage(after ?? 0, PAGE))
    for (const row of page) {
      if (row.hash !== chained(before, row)) faults.push({ what: 'broken', act: row.id, after })
      if (wordsOf(row) !== row.words) changed.set(row.id, wordsOf(row))
      if (row.action === REWRITTEN)
        for (const [id, words] of Object.entries(readRewritten(row.selection))) said.set(id, words)
      before = row.hash
      after = row.id
      hashes.add(before)
      entries += 1
    }
  const edited = [...changed].filter(([id, words]) => said.get(String(id)) !== words)
  faults.push(...edited.map(([act]) => ({ what: 'words' as const, act })))
  if (chain !== null && !hashes.has(chain.head)) faults.push({ what: 'end' })
  if (known !== null && !hashes.has(known)) faults.push({ what: 'head' })
  return { entries, head: before || null, rewritten: changed.size - edited.length, faults: faults.slice(0, MAX_FAULTS) }
}

function readRewritten(selection: string): Record<string, string> {
  return orElse(() => JSON.parse(selection), {})
}
