ALTER TABLE "users" ADD COLUMN "per_minute" bigint;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "per_month" bigint;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "max_keys" bigint;