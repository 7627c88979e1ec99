CREATE TABLE "endpoint_uses" (
	"operation" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"first_at" bigint NOT NULL,
	"first" text NOT NULL,
	"came" text NOT NULL,
	"since" bigint NOT NULL
);
