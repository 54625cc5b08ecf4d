DROP INDEX "usage_alerts_once";--> statement-breakpoint
ALTER TABLE "usage_alerts" ADD COLUMN "key_id" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_alerts" ADD COLUMN "key_name" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_alerts" ADD COLUMN "key_expires_at" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "usage_alerts_once" ON "usage_alerts" USING btree ("user_id","month","threshold","key_id","key_expires_at");