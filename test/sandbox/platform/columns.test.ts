import { expect, test } from 'vitest'
import { MOVEMENT, SALE_LINE, STOCK } from '../../../sandbox/platform/odata/rows.ts'

/*
 * The sandbox refuses a column that it does not have, as the platform does. So whatever the hub asks for is spelt as the documents
 * spell it, where the sandbox's own columns are.
 */

/** As they were seen on a live platform, or stand in the specification. */
const DOCUMENTED = {
  Saleslines: `SALESLINEID SALEID SID STOREID_FK STOCKID_FK PRODUCTID_FK PERSONID_FK CUSTOMERID_FK SaleDate SaleDateTime Qty Price
    FullPrice Discount DiscountPercent StdDiscount Cost VATPercent Currency IsVoided IsEmployee Brand Group Cat Subroup Name Number
    Color Season Gender SizeLabel EAN Employee Pos Store Stock ReceiptLabel OrderLineReasons RegisteredStoreID FirstName LastName
    Email Phone Address PostalCode City CustomerGender CompanyName OrgNum IsCompany CountryCode AgreedSendEmail AgreedSendSMS
    BonusBalance BonusFactor BonusTotal SaleBonusFactor`,
  Stockmovements: 'EAN Qty Stockid Stock MoveDateTime',
  Stockstatus: `Productid Stockid StockName StockExtId EAN Name Number Brand Group Season SizeLabel Qty ReservedQty AvailableQty
    Cost OutPrice RecommendedRetailPrice`,
}

/** No document shows their names: config says what a platform calls them. */
const OURS = {
  Saleslines: ['POSID_FK', 'RECEIPTNO', 'ORDERNO'],
  Stockmovements: ['STOCKMOVEMENTID', 'MoveType'],
  Stockstatus: [],
}

test.each([
  ['Saleslines', SALE_LINE],
  ['Stockmovements', MOVEMENT],
  ['Stockstatus', STOCK],
] as const)('When the sandbox answers %s, then each column is spelt as the documents spell it', (set, columns) => {
  const documented = DOCUMENTED[set].split(/\s+/)
  expect(Object.keys(columns).filter((name) => !documented.includes(name))).toEqual(OURS[set])
})
