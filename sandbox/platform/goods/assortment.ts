/** An article of the retailer: one size of a variant. Prices are in hundredths, VAT included, the same in each currency. */
export interface Article {
  sku: string
  gtin: string
  name: string
  brand: string
  number: string
  colour: string
  size: string
  group: string
  season: string
  cents: number
  /** A fraction: 0.25 is 25 %. */
  vatRate: number
}

/** The articles that the stores sell, and the online shop too. */
export const ASSORTMENT: readonly Article[] = [
  article('TEE-BLK-M', '7090012340011', 'T-shirt', '10234', 'Black', 'M', 'Tops', 34900),
  article('TEE-WHT-L', '7090012340028', 'T-shirt', '10234', 'White', 'L', 'Tops', 34900),
  article('JUMPER-GRN-S', '7090012340035', 'Wool jumper', '20418', 'Green', 'S', 'Knitwear', 129900),
  article('JEANS-IND-32', '7090012340042', 'Jeans', '30077', 'Indigo', '32', 'Trousers', 99950),
  article('SOCKS-GRY', '7090012340059', 'Wool socks', '40112', 'Grey', '39-42', 'Accessories', 14990),
  article('BEANIE-RED', '7090012340066', 'Beanie', '40120', 'Red', 'One size', 'Accessories', 27905),
  article('COAT-NVY-M', '7090012340073', 'Winter coat', '50009', 'Navy', 'M', 'Outerwear', 399900),
  article('COFFEE', '7090012340080', 'Coffee to go', '90001', '', '', 'Café', 4550, 0.15),
]

/** One that the online shop does not have. */
export const UNKNOWN_ARTICLE = article(
  'SAMPLE-ONE',
  '7090012349999',
  'Sample of the season',
  '99999',
  'Blue',
  'M',
  'Tops',
  59900,
)

function article(
  sku: string,
  gtin: string,
  name: string,
  number: string,
  colour: string,
  size: string,
  group: string,
  cents: number,
  vatRate = 0.25,
): Article {
  return { sku, gtin, name, brand: 'Nordlys', number, colour, size, group, season: 'AW26', cents, vatRate }
}
