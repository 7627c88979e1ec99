import type { World } from './world.ts'

/**
 * Has the hub look for lost events until that changes nothing any more. What is then still failed in the platform's log
 * has reached the hub; only the answer was lost, so it is not sent again.
 */
export async function recover({ platform, hub }: World): Promise<{ sentAgain: number; hadArrived: number }> {
  const lost = platform.failed()
  // How a hub lists its subscriptions and has an event sent again, the specification does not show: the platform's staff does it.
  if (platform.dialect === 'spec') {
    await platform.sendFailedAgain()
    return { sentAgain: lost - platform.failed(), hadArrived: platform.failed() }
  }
  for (let left = lost; ; ) {
    await hub.admin('jobs/resend-failed/run', {})
    await platform.settled()
    const failed = platform.failed()
    if (failed === left || failed === 0) return { sentAgain: lost - failed, hadArrived: failed }
    left = failed
  }
}
