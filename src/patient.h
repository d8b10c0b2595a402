// Sessions whose iterations may be long: an interrupt is looked for inside of them, and a run that one ends is not kept waiting
// for products that would only make its last digits sure.
#pragma once

#include "session.h"

template <class Objective, class Dictionary>
class PatientSession : public SessionOf<Objective, Dictionary> {
 public:
  template <class... Args>
  explicit PatientSession(Args&&... args) : SessionOf<Objective, Dictionary>(std::forward<Args>(args)...) {
    this->objective_->set_poll(poll());
  }

  void interrupt() override {
    const double looks = static_cast<double>(std::max<long>(1, this->run_.counts().gradient));
    if (this->run_.seconds() > most_seconds * looks) this->objective_->leave_as_it_is();
    SessionOf<Objective, Dictionary>::interrupt();
  }

 private:
  static constexpr double most_seconds = 0.2;  // an iteration may take if a rebuild, worth two of them, is to follow
};
