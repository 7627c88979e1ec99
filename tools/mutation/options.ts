import { parseArgs } from 'node:util'

/** What a run is asked for. */
export interface Options {
  /** Folders of src, or files of it (`domain/queue`); none: every room. */
  rooms: string[]
  /** So many mutants of each room, chosen by the seed; null: all. */
  sample: number | null
  seed: number
  /** Only tests in the folder that mirrors the room. */
  own: boolean
  /** What survived an earlier run, and what no test met, is judged again. */
  again: boolean
  /** Nothing is judged: what earlier runs found is shown. */
  show: boolean
  /** A mutant may take as long as five times its tests, and so much more. */
  seconds: number
  processes: number
  /** So many files of tests at most are asked about one mutant. */
  files: number
  /** Seconds that all tests that are asked about one may take; those that take longest are left out. */
  longest: number
  /** Where it keeps what it has learnt and found; null: `.mutation`, at the top of the project. */
  folder: string | null
}

export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      room: { type: 'string', multiple: true, default: [] },
      sample: { type: 'string' },
      seed: { type: 'string', default: '1' },
      own: { type: 'boolean', default: false },
      again: { type: 'boolean', default: false },
      show: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '15' },
      processes: { type: 'string', default: '2' },
      files: { type: 'string', default: '12' },
      longest: { type: 'string', default: '60' },
      folder: { type: 'string' },
    },
  })
  const { own, again, show, sample } = values
  return {
    rooms: [...values.room, ...positionals],
    sample: sample === undefined ? null : whole('sample', sample),
    seed: whole('seed', values.seed),
    own,
    again,
    show,
    seconds: whole('seconds', values.seconds),
    processes: whole('processes', values.processes),
    files: whole('files', values.files),
    longest: whole('longest', values.longest),
    folder: values.folder ?? null,
  }
}

function whole(name: string, text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} ${text}: a whole number from 1 is needed.`)
  return number
}
