import { createLazyRoute } from "@tanstack/react-router";
import { PaymentPage } from "./payment.tsx";

export const Route = createLazyRoute("/payments/$id")({
  component: function OnePaymentPage() {
    return <PaymentPage id={Route.useParams().id} />;
  },
});
