import { PRESETS, type Preset } from '../../platform/http/endpoints.ts'
import type { Finding } from './finding.ts'

/** Whether the platform answers at the address that a preset has for its settlements. */
type Answers = 'yes' | 'no' | 'unknown'

/**
 * The preset that the platform's answers look like. Only what is read can be tried; settlements are read at an address of
 * each preset's own. `ask` asks for them as a preset does, and rejects where that fails.
 */
export async function examinePreset(configured: Preset, ask: (preset: Preset) => Promise<unknown>): Promise<Finding> {
  const answers = {} as Record<Preset, Answers>
  for (const preset of Object.keys(PRESETS) as Preset[])
    answers[preset] = await ask(preset).then(
      () => 'yes' as const,
      (error: unknown) => answersOf(error),
    )
  return judgePreset(configured, answers)
}

/** The word of the answers on `platform.preset`. Pure. */
export function judgePreset(configured: Preset, answers: Readonly<Record<Preset, Answers>>): Finding {
  const like = (Object.keys(answers) as Preset[]).filter((preset) => answers[preset] === 'yes')
  const [other] = like
  if (like.includes(configured)) {
    const too =
      like.length > 1 ? ` It answers as ${like.filter((preset) => preset !== configured).join(', ')} does, too.` : ''
    return { check: 'preset', state: 'ok', says: `It answers as ${configured} does.${too}` }
  }
  if (other !== undefined && answers[configured] === 'no')
    return {
      check: 'preset',
      state: 'problem',
      says: `It answers as ${other} does, but config says ${configured}.`,
      todo: `set platform.preset: ${other} in the config.`,
    }
  return {
    check: 'preset',
    state: 'note',
    says: `Which preset it answers as cannot be told: these keys are not given its settlements. Config says ${configured}.`,
  }
}

/** An address that is not there says so; whatever else is wrong says nothing about the address. */
function answersOf(error: unknown): Answers {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  return code === 'http-404' || code === 'http-405' || code === 'http-410' ? 'no' : 'unknown'
}
