/** A test that a runner is about to run, or has run. */
export interface Task {
  id: string
  name: string
  type: string
  mode: string
  result?: { state: string; duration?: number; errors?: { message: string }[] } | undefined
  tasks?: Task[]
}

/** The next file to run, and which of its tests. */
export interface Next {
  filepath: string
  testIds?: string[]
}

/** What decides, in the process that runs tests, which file is run next with which mutant, and what follows from how it went. */
export interface Session {
  next(): Next | null
  /** Whether a test is to be run. */
  wants(test: Task): boolean
  /** The tests of a file are known. */
  loaded(): void
  testBegins(): void
  testEnded(test: Task): void
  fileEnded(file: Task): void
}

/** The tests of a file, or of a part of it. */
export function testsOf(task: Task): Task[] {
  return task.type === 'test' ? [task] : (task.tasks ?? []).flatMap(testsOf)
}

/** The first test, group or file that failed, and why; null: none. */
export function failureOf(task: Task): { id: string; name: string; why: string } | null {
  for (const inner of task.tasks ?? []) {
    const failure = failureOf(inner)
    if (failure) return failure
  }
  if (task.result?.state !== 'fail') return null
  return { id: task.id, name: task.name, why: task.result.errors?.[0]?.message ?? '' }
}
