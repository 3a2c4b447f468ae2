/** The demo's customers: a few by name, and a made-up address for every other number. */
export interface Customer {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

const KNOWN: readonly Customer[] = [
  { id: "42", name: "Ada Lovelace", email: "ada@example.com" },
  { id: "7", name: "Grace Hopper", email: "grace@example.com" },
  { id: "99", name: "Alan Turing", email: "alan@example.com" },
];

/** Finds a customer by number. */
export function customerOf(id: string): Customer {
  return (
    KNOWN.find((customer) => customer.id === id) ?? {
      id,
      name: `Customer ${id}`,
      email: `customer-${id}@example.com`,
    }
  );
}

/** Finds a customer by first name, full name, address or number; undefined for anybody else. */
export function customerNamed(words: string): Customer | undefined {
  const wanted = words.toLowerCase();
  return KNOWN.find(({ id, name, email }) =>
    [id, name.toLowerCase(), name.toLowerCase().split(" ")[0], email].includes(wanted),
  );
}
