CREATE TABLE "key_origins" (
	"origin" text NOT NULL,
	"key_id" text NOT NULL,
	CONSTRAINT "key_origins_origin_key_id_pk" PRIMARY KEY("origin","key_id")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "allowed_origins" text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE "key_origins" ADD CONSTRAINT "key_origins_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "key_origins_key" ON "key_origins" USING btree ("key_id");