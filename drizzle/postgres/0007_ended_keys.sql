ALTER TABLE "api_keys" ADD COLUMN "deleted_at" bigint;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "rejected_requests" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "first_rejected_at" bigint;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "last_rejected_at" bigint;--> statement-breakpoint
CREATE INDEX "api_keys_rejected" ON "api_keys" USING btree ("first_rejected_at") WHERE "api_keys"."first_rejected_at" is not null;