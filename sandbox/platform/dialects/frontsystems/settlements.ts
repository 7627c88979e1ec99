/** A settlement of version 2 as the API behind has it, as far as it is read here. */
interface Known {
  SettlementId: number
  SettlementTimeStamp: string
  GrandTotal: number
  NetTotal: number
  VATTotal: number
  PosId: number
}

/** The settlement with what version 2 documents besides: its cost, and the Z report twice (facts, §3 "Settlement"). */
export function settlementRecord(known: Known): object {
  const { GrandTotal, NetTotal, VATTotal, SettlementId, SettlementTimeStamp, PosId } = known
  return {
    ...known,
    Cost: Math.round(NetTotal * 40) / 100,
    SAFT_ZReport: {
      reportID: String(SettlementId),
      reportType: 'Z report',
      companyIdent: '912345678',
      companyName: 'Nordlys Retail AS',
      reportDate: SettlementTimeStamp.slice(0, 10),
      reportTime: SettlementTimeStamp.slice(11, 19),
      registerID: String(PosId),
      reportTotalCashSales: { totalCashSaleAmnt: GrandTotal },
      reportArtGroups: [],
      reportPayments: [],
      reportEmpPayments: [],
      // Amounts are before VAT.
      reportCashSalesVat: [
        {
          vatCode: '3',
          vatPerc: 25,
          cashSaleAmnt: NetTotal,
          vatAmnt: VATTotal,
          vatAmntTp: 'C',
          vatAmntTpSpecified: true,
        },
      ],
      reportOpeningChangeFloat: 0,
      reportReceiptNum: 0,
      reportReceiptCopyNum: 0,
      reportReceiptCopyAmnt: 0,
      reportReceiptProformaAmnt: 0,
      reportReturnNum: 0,
      reportReturnAmnt: 0,
      reportDiscountNum: 0,
      reportDiscountAmnt: 0,
      reportVoidTransNum: 0,
      reportVoidTransAmnt: 0,
      reportPriceInquiries: [],
      reportReceiptDeliveryAmnt: 0,
      reportTrainingAmnt: 0,
      reportGrandTotalSales: GrandTotal,
      reportGrandTotalReturn: 0,
      reportGrandTotalSalesNet: NetTotal,
    },
    ZReport: [{ PType: 1, Value: GrandTotal.toFixed(2) }],
  }
}
