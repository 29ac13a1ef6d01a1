CREATE TABLE customer (
  id integer PRIMARY KEY,
  email text NOT NULL UNIQUE,
  created_at timestamp NOT NULL
);

CREATE TABLE product (
  sku text PRIMARY KEY,
  name text NOT NULL,
  price integer NOT NULL
);

CREATE TABLE purchase (
  id integer PRIMARY KEY,
  customer_id integer NOT NULL REFERENCES customer (id),
  status text NOT NULL,
  placed_at timestamp NOT NULL
);

CREATE TABLE purchase_line (
  purchase_id integer NOT NULL REFERENCES purchase (id),
  sku text NOT NULL REFERENCES product (sku),
  quantity integer NOT NULL,
  PRIMARY KEY (purchase_id, sku)
);

CREATE TABLE payment (
  purchase_id integer PRIMARY KEY,
  amount integer NOT NULL,
  provider text NOT NULL
);

ALTER TABLE payment ADD CONSTRAINT pays FOREIGN KEY (purchase_id) REFERENCES purchase (id);
