import type { What } from './file.ts'

const TEMPLATES: Readonly<Record<What, string>> = {
  products: `extId,number,variant,name,groupName,subgroupName,color,season,brand,price,cost,description,images,pictureRef,isWebAvailable,createProductSpecificSize,gender,tags,isStockProduct,isNoLabel,sizeSystem,productPrices.Norway,gtin,externalSKU,label,labelSortIndex,stockQty.3
1001-BLK,1001,BLK,Rain jacket,Jackets,,Black,AW26,Acme,1399.50,520.00,"Waterproof, with a hood",https://example.com/1001-BLK.jpg,,true,true,"m, f","rain,outdoor",true,false,,1399.50,7040000000016,1001-BLK-S,S,1,4
1001-BLK,1001,BLK,Rain jacket,Jackets,,Black,AW26,Acme,1399.50,520.00,,,,,,,,,,,,7040000000023,1001-BLK-M,M,2,7`,
  prices: `list,productExtId,gtin,productId,price,validFrom,validTo
Norway,1001-BLK,,,1399.50,2026-12-01T00:00:00Z,2026-12-31T23:00:00Z
Norway,1002-RED,,,899.00,,`,
  costs: `currency,stockId,stockNo,productExtId,gtin,productId,price
NOK,,,1001-BLK,,,520.00
,3,,1002-RED,,,310.00`,
  stock: `stockId,stockNo,gtin,quantity,description
3,,7040000000016,4,
3,,7040000000023,7,`,
  customers: `extId,email,firstName,lastName,companyName,phone,phoneCountryPrefix,address,postalCode,city,countryCode,isCompany,orgNum,agreedSendEmail,agreedSendSms,tags,birthDay,birthYear,gender,langCode,cardNo,stdDiscount,isEmployee,isInvoice,suppressCampaigns,description,registeredStoreId,customerId,changedAt
C-1,kari@example.com,Kari,Nordmann,,40000001,47,Storgata 1,0155,Oslo,NO,,,true,false,club,1985-05-17,,,no,,,,,,,,,
C-2,ola@example.com,Ola,Nordmann,,40000002,47,,,Oslo,NO,,,false,false,,,,,,,,,,,,,,`,
}

/** A file to begin with: all columns, two rows. */
export function template(what: What): string {
  return TEMPLATES[what]
}
