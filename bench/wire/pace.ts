/** Which event is due when. An open loop keeps its times whatever the server does; a closed one sends as fast as answers come. */
export interface Pace {
  begin: number
  /** When sending ends at the latest. */
  end: number
  /** How many events should have been sent by now. */
  due(time: number): number
  /** When this event was due: what an open loop measures from. Null in a closed loop. */
  dueAt(event: number): number | null
  isOver(time: number, sent: number): boolean
}

interface PaceOptions {
  warmUpSeconds: number
  seconds: number
  rate?: number
  count?: number
}

export function createPace({ warmUpSeconds, seconds, rate, count }: PaceOptions, begin: number): Pace {
  const end = begin + (warmUpSeconds + seconds) * 1000
  const most = rate === undefined ? (count ?? Number.POSITIVE_INFINITY) : Math.round((warmUpSeconds + seconds) * rate)
  const isOver = (time: number, sent: number) => sent >= most || time >= end
  if (rate === undefined) {
    return { begin, end, due: (time) => (time < end ? most : 0), dueAt: () => null, isOver }
  }
  return {
    begin,
    end,
    due: (time) => Math.min(most, Math.floor(((time - begin) * rate) / 1000) + 1),
    dueAt: (event) => begin + (event * 1000) / rate,
    isOver,
  }
}
