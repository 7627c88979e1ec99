import type { Flow } from './flow.ts'
import { publish } from './publish.ts'

/** Every flow there is. */
export const flows: readonly Flow[] = [publish]
