CREATE TABLE "shared_results" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"id" text NOT NULL,
	"user_id" text NOT NULL,
	"url" text NOT NULL,
	"json" text NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	CONSTRAINT "shared_results_id_unique" UNIQUE("id")
);
--> statement-breakpoint
DROP INDEX "usage_alerts_once";--> statement-breakpoint
ALTER TABLE "request_log" ADD COLUMN "details" text;--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "invited_by" text;--> statement-breakpoint
ALTER TABLE "usage_alerts" ADD COLUMN "key_id" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_alerts" ADD COLUMN "key_name" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_alerts" ADD COLUMN "key_expires_at" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "shared_results" ADD CONSTRAINT "shared_results_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "shared_results_user" ON "shared_results" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "shared_results_expiry" ON "shared_results" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "tickets_invitations" ON "tickets" USING btree ("invited_by");--> statement-breakpoint
CREATE UNIQUE INDEX "usage_alerts_once" ON "usage_alerts" USING btree ("user_id","month","threshold","key_id","key_expires_at");