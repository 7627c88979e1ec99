import type { z } from 'zod'
import type { Path } from './path.ts'
import { completed } from './plain-words.ts'

/** One disagreement of a schema with a value. */
export interface Disagreement {
  path: Path
  about: 'value' | 'name' | 'unknown-key'
  expected: string
}

/** Complaints of zod, one by one: each unknown key, and for a choice the branch that was meant. */
export function issuesOf(issues: readonly z.core.$ZodIssue[], at: Path = []): Disagreement[] {
  return issues.flatMap((issue) => {
    const path = [...at, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))]
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys.map((key) => ({
          path: [...path, key],
          expected: completed(issue.message),
          about: 'unknown-key' as const,
        }))
      case 'invalid_key':
        return [{ path, expected: completed(issue.message), about: 'name' as const }]
      case 'invalid_union':
        return unionIssues(issue, path)
      default:
        return [{ path, expected: completed(issue.message), about: 'value' as const }]
    }
  })
}

/** A branch that only complains about something deeper is the one that was meant; otherwise all of them are named. */
function unionIssues(issue: z.core.$ZodIssueInvalidUnion, path: Path): Disagreement[] {
  const meant = issue.errors.find((branch) => {
    return branch.length > 0 && branch.every(({ code, path }) => path.length > 0 || code === 'unrecognized_keys')
  })
  if (meant) return issuesOf(meant, path)
  const each = issue.errors.flatMap((branch) => issuesOf(branch).map(({ expected }) => expected))
  const expected = completed(issue.message) || [...new Set(each)].join(' or ') || 'another value'
  return [{ path, expected, about: 'value' }]
}
