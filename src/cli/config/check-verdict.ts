import { examineSystems } from '../../admin/examine/examine.ts'
import { ConfigError } from '../../config/reading/issues.ts'
import { type LoadedConfig, located } from '../../config/reading/load.ts'
import type { Problem } from '../../config/reading/yaml-file.ts'
import { flows } from '../../flows/index.ts'
import { doubtsOf, type Lists, listsOnDisk, listsOnline, nameDoubts, namesUnheld } from '../../hub/config-warnings.ts'
import { createOffline } from '../../hub/offline.ts'
import type { Systems } from '../../hub/systems.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Platform } from '../../platform/platform.ts'
import { type Finding, sentenceOf } from '../doctor/finding.ts'
import { examineAccess } from '../doctor/platform.ts'

/** The verdict on a config with which a hub would start. */
export interface Verdict {
  doubts: Problem[]
  /** Findings of those that were asked. */
  findings: Finding[]
  /** The config names stores or stocks, and nobody knows here which there are. */
  unheld: boolean
}

/** The same error with what else is most likely wrong, as far as it can be seen beside that: names of kinds, stores and stocks. */
export async function withDoubts(error: unknown): Promise<unknown> {
  if (!(error instanceof ConfigError) || error.rest === null) return error
  const { problems, file, rest } = error
  const lists = await listsOnDisk(rest.config).catch(() => null)
  if (lists === null) return error
  const more = rest.problemsOf(nameDoubts(rest.config, lists))
  return new ConfigError(file, [...problems, ...more.filter(({ path }) => !problems.some((one) => one.path === path))])
}

/** A person waits for it (milliseconds). */
const PATIENCE = 10_000

/**
 * Puts a hub together as a start does, and begins nothing. Throws a ConfigError with everything for which a start would refuse.
 * `online`: the platform and the destinations are asked, reading only.
 */
export async function judgeConfig(loaded: LoadedConfig, online: boolean): Promise<Verdict> {
  const { config, folder, problemsOf } = loaded
  const inConfig = (error: unknown) => {
    throw located(error, loaded)
  }
  const onDisk = await listsOnDisk(config).catch(inConfig)
  await using setup = await createOffline(config, folder, { flows, stores: onDisk.stores }).catch(inConfig)
  const asked = online ? await askPlatform(setup.platform) : { findings: [], lists: null }
  const lists = asked.lists ?? onDisk
  return {
    doubts: problemsOf(doubtsOf(config, setup.systems, lists)),
    findings: [...asked.findings, ...(online ? await askSystems(setup.systems) : [])],
    unheld: namesUnheld(config, lists),
  }
}

async function askPlatform(platform: Platform | null): Promise<{ findings: Finding[]; lists: Lists | null }> {
  if (platform === null) return { findings: [], lists: null }
  const { findings, stores } = await examineAccess(platform)
  if (stores === null) return { findings, lists: null }
  try {
    return { findings, lists: await listsOnline(platform, AbortSignal.timeout(PATIENCE)) }
  } catch (error) {
    const unknown: Finding = { check: 'kinds', state: 'problem', says: sentenceOf(error), todo: 'look again later.' }
    return { findings: [...findings, unknown], lists: null }
  }
}

/** Findings of each destination in its system; one whose adapter cannot look says nothing. */
async function askSystems({ examined }: Systems): Promise<Finding[]> {
  const systems = await examineSystems(examined, systemClock)
  return systems.flatMap(({ destination, found }) =>
    (found ?? []).map(
      ({ what, state, says, todo }): Finding => ({
        check: 'destinations',
        state: state === 'unknown' ? 'note' : state,
        says: `${destination}, ${what}: ${says}`,
        ...(todo !== undefined && { todo }),
      }),
    ),
  )
}
