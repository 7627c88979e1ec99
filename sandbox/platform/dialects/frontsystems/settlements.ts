/** A settlement of version 2 as the API behind has it, as far as it is read here. */
interface Known {
  GrandTotal: number
  NetTotal: number
}

/** The settlement with what version 2 documents besides: its cost, and the Z report once more (facts, §3 "Settlement"). */
export function settlementRecord(known: Known): object {
  const { GrandTotal, NetTotal } = known
  return {
    ...known,
    Cost: Math.round(NetTotal * 40) / 100,
    ZReport: [{ PType: 1, Value: GrandTotal.toFixed(2) }],
  }
}
