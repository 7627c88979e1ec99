import type { IntakeLine } from '../../../ports/intake.ts'
import { HIDDEN, under } from '../hidden.ts'
import type { Source } from '../read-options.ts'
import { RESOURCES } from '../read-options.ts'

/*
 * What stands in the hidden folder beside the files that are read:
 *
 *   .tillbridge/reading/<destination>.<resource>.<id>/        a file that is being read
 *       <its own name>
 *       .refused.<offset>                                     its refused rows of one page, as they go into the reject file
 *   .tillbridge/ended/<destination>.<resource>.<id>.<end>/    one that is done with: only moves are left to do
 *       .end.<end>                                            which
 *       .reject.<end>                                         what goes into the reject folder
 */

export function readingFolder({ folder }: Pick<Source, 'folder'>): string {
  return under(folder, HIDDEN, 'reading')
}

export function endedFolder({ folder }: Pick<Source, 'folder'>): string {
  return under(folder, HIDDEN, 'ended')
}

const WORK_NAME = /^([a-z][a-z0-9-]*)\.([a-z-]+)\.([0-9a-f]{12})(?:\.([0-9a-f]{12}))?$/

/** The facts in the name of a folder there. */
export interface WorkName {
  resource: IntakeLine
  id: string
  /** How it ended; null: it has not. */
  end: string | null
}

/** Null: it is another destination's, or nothing of ours. */
export function readWorkName(name: string, destination: string): WorkName | null {
  const [, of, resource, id = '', end = null] = WORK_NAME.exec(name) ?? []
  const known = RESOURCES.find((one) => one === resource)
  return of === destination && known ? { resource: known, id, end } : null
}

export function workName(destination: string, { resource, id, end }: WorkName): string {
  return [destination, resource, id, ...(end === null ? [] : [end])].join('.')
}
