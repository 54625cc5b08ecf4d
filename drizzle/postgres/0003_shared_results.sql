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
ALTER TABLE "shared_results" ADD CONSTRAINT "shared_results_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "shared_results_user" ON "shared_results" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "shared_results_expiry" ON "shared_results" USING btree ("expires_at");