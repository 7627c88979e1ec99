import type { Listed, Unreadable } from '../src/platform/http/read.ts'

/** A list as the platform's client gives it. */
export function listed<T>(rows: T[], rejected: Unreadable[] = []): Listed<T> {
  return { rows, rejected }
}
