import { describeStoreContract } from "../testing/store-contract.ts";
import { makeStorePlace, STORE_KINDS } from "../testing/test-stores.ts";

for (const kind of STORE_KINDS) {
  describeStoreContract(`the store on ${kind}`, async () => {
    const place = await makeStorePlace(kind);
    return { store: await place.open(), close: () => place.remove() };
  });
}
