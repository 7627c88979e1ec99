import type { World } from './world.ts'

interface Recovered {
  platform: Pick<World['platform'], 'dialect' | 'failed' | 'sendFailedAgain' | 'settled'>
  hub: Pick<World['hub'], 'admin'>
}

/**
 * Has the hub look for lost events until that changes nothing any more. What is then still failed in the platform's log
 * has reached the hub; only the answer was lost, so it is not sent again.
 */
export async function recover({ platform, hub }: Recovered): Promise<{ sentAgain: number; hadArrived: number }> {
  const lost = platform.failed()
  // How a hub lists its subscriptions and has an event sent again, the specification does not show: the platform's staff does it.
  if (platform.dialect === 'spec') {
    await platform.sendFailedAgain()
    return { sentAgain: lost - platform.failed(), hadArrived: platform.failed() }
  }
  // The hub may join a run that began before the last ones were lost: only a second one that changes nothing says something.
  for (let [left, unchanged] = [lost, 0]; ; ) {
    await hub.admin('jobs/resend-failed/run', {})
    await platform.settled()
    const failed = platform.failed()
    unchanged = failed === left ? unchanged + 1 : 0
    if (unchanged === 2 || failed === 0) return { sentAgain: lost - failed, hadArrived: failed }
    left = failed
  }
}
